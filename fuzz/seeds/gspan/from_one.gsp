t # a 3.5
v 1 6
v 2 7
e 1 2 1

# a comment
t # -1
