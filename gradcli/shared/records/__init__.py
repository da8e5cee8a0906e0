"""The frozen records that pass from computing to presenting, and their JSON form.

A record holds only plain Python: numbers, strings, lists and dictionaries.
"""
