"""Drawing: small functions that return SVG text, coloured by classes that follow the page's colours."""
