// The theme, before anything is drawn: a page that turns from white to black at each start would hurt.
// No module, because modules run after the first paint.
try {
  const kept = JSON.parse(localStorage.getItem('stockbus') ?? '{}')
  if (kept.theme === 'light' || kept.theme === 'dark') document.documentElement.dataset.theme = kept.theme
  if (kept.motion === 'less') document.documentElement.dataset.motion = 'less'
} catch {
  // Without storage the system's theme is right.
}
