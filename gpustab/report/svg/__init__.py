"""Charts over tables as SVG text: lines, dots, ridges, matrices, lists, in classes that follow the page's colours."""
