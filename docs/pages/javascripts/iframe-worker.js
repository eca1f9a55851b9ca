// The search of the site runs in a worker, which browsers refuse to pages that lie on a disk: there a hidden frame
// takes its place. Instead of the script that the plugin `offline` would fetch from the network.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = this.inside.document.createElement("script")
      this.ready = new Promise((done, failed) => Object.assign(script, { src: url, onload: done, onerror: failed }))
      this.inside.document.body.append(script)
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
}
