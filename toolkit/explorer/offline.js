// The host of the explorers in a report on disk: it replaces the kernel's model, from which `explore.js` takes frames.

// One model: the stored state, and listeners to its changes.
function makeModel(state) {
  const listeners = {};
  return {
    get: (key) => state[key],
    set(key, value) {
      state[key] = value;
      (listeners["change:" + key] ?? []).forEach((call) => call());
    },
    on(name, call) {
      (listeners[name] ??= []).push(call);
    },
    off(name, call) {
      listeners[name] = (listeners[name] ?? []).filter((other) => other !== call);
    },
    save_changes() {}, // there is no kernel to tell
  };
}

// The state of a stored explorer, with its binary buffers where they belong.
function readState(text) {
  const { state, buffers } = JSON.parse(text);
  for (const { path, data } of buffers) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    let parent = state;
    for (const key of path.slice(0, -1)) parent = parent[key];
    parent[path.at(-1)] = new DataView(bytes.buffer);
  }
  return { ...state, offline: true };
}

const module = document.getElementById("toolkit-explore-module").textContent;
const { default: explorer } = await import("data:text/javascript;base64," + module.trim());
for (const holder of document.querySelectorAll(".toolkit-explorer")) {
  const state = readState(holder.querySelector("script").textContent);
  explorer.render({ model: makeModel(state), el: holder.appendChild(document.createElement("div")) });
}
