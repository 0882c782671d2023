"""The code that both clients share. Only `driver.py` uses the network."""
