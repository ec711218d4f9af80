/** `/sdk/web.js`: the global `Throughline`, and what the attributes of the script’s element ask for. */
import { type BannerOptions, createWeb, type QrOptions, type WebConfig } from './index.ts';

Object.assign(globalThis, { Throughline: { createWeb } });

/** Of these the attributes hold JSON; they cannot say what an element or a function is. */
const NO_TEXT = /^(beside|carry|dismiss|element|force|languages|on|session)/;
// By the prototype: an image of the page that is named currentScript hides the document’s own.
const script = Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null;
if (script?.dataset.code) start(script.src, script.dataset);

/** Attributes are named as the options, `data-deep-link-path`; an empty one of that name is the page’s own path. */
function start(source: string, { ...data }: DOMStringMap): void {
  const options = data as unknown as BannerOptions & WebConfig & QrOptions & { readonly qr?: string };
  for (const [name, text] of Object.entries(data)) {
    if (!NO_TEXT.test(name)) continue;
    delete data[name];
    try {
      data[name] = JSON.parse(text as string);
    } catch {}
  }
  if (data.deepLinkPath === '') Object.assign(options, { deepLinkPath: () => location.pathname });
  // The service may have a path of its own.
  const web = createWeb({ ...options, host: options.host ?? new URL('..', source).href });
  const draw = () => {
    const element = options.qr && document.querySelector(options.qr);
    if (element) web.qr(options.code, element, options);
    if (options.title) web.banner(options);
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', draw);
  else draw();
}
