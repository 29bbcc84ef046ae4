graph [
  node [
    id 0
    label "ann"
  ]
  node [
    id 1
    label "bob b"
  ]
  node [
    id 2
    label "eve &#34;e&#34;"
  ]
  node [
    id 3
    label "&#955; &#38; <&#252;>"
  ]
  node [
    id 4
    label "alone"
  ]
  edge [
    source 0
    target 1
    weight 1.5
  ]
  edge [
    source 0
    target 2
    weight 0.25
  ]
  edge [
    source 1
    target 2
    weight -2.0
  ]
  edge [
    source 2
    target 3
    weight 0.001
  ]
]
