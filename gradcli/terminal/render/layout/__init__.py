"""The building blocks of views: styled lines, tables, numbers, wrapped text and headings."""
