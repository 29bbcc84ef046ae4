graph [
  directed 1
  multigraph 1
  node [
    id 0
    label "0"
  ]
  node [
    id 1
    label "1"
  ]
  node [
    id 2
    label "2"
  ]
  node [
    id 3
    label "3"
  ]
  edge [
    source 0
    target 1
    key 0
    weight 2.0
  ]
  edge [
    source 0
    target 1
    key 1
    weight 2.0
  ]
  edge [
    source 1
    target 0
    key 0
    weight 2.0
  ]
  edge [
    source 1
    target 2
    key 0
    weight 3.0
  ]
  edge [
    source 2
    target 2
    key 0
    weight 9.0
  ]
]
