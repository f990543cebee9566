"""Generated from the option table: change it there, and run `make options`."""
