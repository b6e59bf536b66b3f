"""Catalogs on servers: real ones on loopback, lines that fail, trust, signatures."""
