/** Texts that would run as script where a page takes them for markup, an address or a template. */
export const payloads = [
  '<img src=x onerror="window.__xss=1">',
  '<script>window.__xss=1</script>',
  '"><svg onload="window.__xss=1">',
  'javascript:window.__xss=1',
  '{{constructor.constructor("window.__xss=1")()}}',
  '<a href="javascript:window.__xss=1">link</a>',
  '<iframe srcdoc="<script>parent.__xss=1</script>"></iframe>',
  '</style><style>body{display:none}</style>',
] as const;
