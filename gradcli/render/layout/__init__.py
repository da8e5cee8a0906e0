"""What every view is made of: styled lines, tables, numbers, wrapped text, headings."""
