// What is shown stands in the address, behind the #, so that it can be sent, marked, and gone back to.

function readAddress() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function addressWith(changes) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...readAddress(), ...changes })) {
    if (value !== null && value !== undefined && value !== "") parts.set(name, value);
  }
  return "#" + parts.toString();
}

/** Change the address; with `replace` without a step in the history, as for a scrubber that moves. */
function go(changes, { replace = false } = {}) {
  const address = addressWith(changes);
  if (address === (location.hash || "#")) return;
  if (replace) {
    history.replaceState(null, "", address);
    render();
  } else {
    location.hash = address;
  }
}
