// Before the first paint, so that nothing flashes: a file of its own, since the policy of the page allows no inline script.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const kept = localStorage.getItem('throughline.theme');
    const theme = kept === 'light' || kept === 'dark' ? kept : system.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name="color-scheme"]').content = theme;
  };
  apply();
  system.addEventListener('change', apply);
  // Another tab chose, or this one, which says so by the same event.
  addEventListener('storage', apply);
})();
