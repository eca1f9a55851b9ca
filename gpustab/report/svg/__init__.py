"""Charts over tables as SVG text: lines, dots, ridges, matrices and lists, in classes that follow the page's colours."""
