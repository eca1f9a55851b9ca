"""What do a trainer's parameters do to stability and quality? Rettenmeier 2020, §3.1, tables 3.1-3.4.

Where the thesis is compared with: tables 3.1-3.3 have Chinese and Czech swapped, table 3.4 has not.
"""

TIE = "+"
"""Between parameters that go together, and between their values."""
