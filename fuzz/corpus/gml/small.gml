graph [
  directed 0
  node [ id 0 label "a &amp; b" graphics [ x 1.5 y 2 ] ]
  node [ id 1 label "c" graphics [ x 0 y -1 ] ]
  node [ id 7 ]
  edge [ source 0 target 1 weight 2.5 ]
  edge [ source 1 target 7 value 3 ]
]
