// Runs in the landing page: reports the device's signals, tries to open the app, then redirects to the store.
(() => {
  const { click, proof, signals: signalsAddress, app, go, copy, ipad, android } = document.body.dataset;
  // Limits the wait for Chromium's client hints.
  const MAX_WAIT_MS = 50;
  // With the wait above: 300 ms from the response to the store.
  const APP_OPENS_WITHIN_MS = 250;

  const { maxTouchPoints, userAgent, userAgentData } = navigator;
  const coarsePointer = matchMedia('(pointer: coarse)').matches;

  // A tablet that asks for desktop pages. Macs have no touch screen; a laptop with Linux also has a finer pointer.
  const isAndroid =
    userAgentData?.platform === 'Android' ||
    (maxTouchPoints > 1 && userAgent.includes('Linux') && coarsePointer);
  const isIpad = !isAndroid && maxTouchPoints > 1 && userAgent.includes('Macintosh');
  const tabletStore = (isAndroid && android) || (isIpad && ipad);

  const send = (hints) => {
    if (!click) return;
    const signals = {
      clickId: click,
      proof,
      screenWidth: screen.width,
      screenHeight: screen.height,
      pixelRatio: devicePixelRatio,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      languages: navigator.languages.slice(0, 8),
      model: hints?.model || null,
      platformVersion: hints?.platformVersion || null,
      maxTouchPoints: maxTouchPoints ?? null,
      coarsePointer,
      platform: tabletStore ? (isAndroid ? 'ANDROID' : 'IOS') : null,
    };
    const body = new Blob([JSON.stringify(signals)], { type: 'application/json' });
    navigator.sendBeacon(signalsAddress, body);
  };

  const redirect = () => {
    const next = tabletStore || go;
    // Browsers allow copying only in response to a tap.
    if (!next || copy) return;
    document.getElementById('going')?.removeAttribute('hidden');
    if (!app) return location.replace(next);
    // Scheduled first: the browser may reject the app's address.
    setTimeout(() => document.hidden || location.replace(next), APP_OPENS_WITHIN_MS);
    location.href = app;
  };

  const copyAndGo = (event) => {
    event.preventDefault();
    const leave = () => location.assign(go);
    navigator.clipboard.writeText(copy).then(leave, leave);
  };
  if (copy && navigator.clipboard) document.getElementById('go').addEventListener('click', copyAndGo);

  const late = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS));
  const ask = async () => userAgentData?.getHighEntropyValues?.(['model', 'platformVersion']);
  Promise.race([ask(), late])
    .catch(() => undefined)
    .then(send)
    .catch(() => undefined)
    .then(redirect);
})();
