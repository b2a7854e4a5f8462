/**
 * Sent with every response: browsers must not guess content types, embed responses in other pages, or run or load anything.
 * HTML pages set their own policy. HSTS is left to the proxy, which has the certificate.
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
