"""Which claims are out of date, their measurement, and the writing of the stored table.

Only a clone has this folder; the package reads the table, and its commands load what
they need from here (`toolkit.claims.clone`).
"""
