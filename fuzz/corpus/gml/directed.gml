Creator "x" # a comment
graph [
  directed 1
  node [ id -1 label "a &#38; &quot;b&quot;
c" graphics [ x 1.5 y -2 z 0 type "circle" ] ]
  node [ id 2 name "two" ]
  edge [ source -1 target 2 value 2.5 label "x" ]
  edge [ source 2 target -1 weight 3 graphics [ Line [ point [ x 0 y 0 ] ] ] ]
]
