// What nodes are called.

const label = (data, node) => data.names[node] ?? `#${node}`;

function path(data, node) {
  const names = [];
  for (let at = node; at !== null && names.length < 8; at = data.parents[at]) names.unshift(label(data, at));
  return names.join("/") || label(data, node);
}

