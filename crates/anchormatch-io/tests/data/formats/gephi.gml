graph
[
  Creator "Gephi"
  directed 1
  node
  [
    id 0
    label "a"
    graphics
    [
      x -1.5
      y 2.0
      z 0.0
      w 10.0
      h 10.0
      d 10.0
      fill "#999999"
    ]
  ]
  node
  [
    id 1
    label "b"
    graphics
    [
      x 3.0
      y 4.0
      z 0.0
      fill "#999999"
    ]
  ]
  edge
  [
    id 0
    source 0
    target 1
    value 2.0
    fill "#999999"
  ]
]
