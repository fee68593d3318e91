// Search runs in a worker, which browsers refuse to pages opened from a folder. There it runs in a hidden frame instead.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      (document.body ?? document.documentElement).append(frame);
      this.frame = frame.contentWindow;
      this.frame.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        this.onmessage?.(event);
      };
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = () => {
        this.isReady = true;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      frame.contentDocument.body.append(script);
    }

    postMessage(data) {
      if (this.isReady) this.frame.dispatchEvent(new this.frame.MessageEvent("message", { data }));
      else this.waiting.push(data);
    }

    terminate() {}
  };
