"""What both clients share. Nothing here reads from or writes to a network but `driver.py`."""
