/** Three tastes and how they are related. In the page itself: a browser loads a document of its own for an SVG file. */
export function Logo() {
  return (
    <span className="flex items-center gap-2 text-base font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" width={24} height={24} aria-hidden>
        <rect width="32" height="32" rx="8" fill="#0f766e" />
        <path
          d="M10 11.5 21 9M10 11.5l6.5 11M21 9l-4.5 13.5"
          stroke="#fff"
          strokeWidth="2"
          strokeLinecap="round"
        />
        <circle cx="10" cy="11.5" r="3.2" fill="#fff" />
        <circle cx="21.5" cy="9" r="2.4" fill="#fff" />
        <circle cx="16.5" cy="22.5" r="2.8" fill="#fff" />
      </svg>
      Tastegraph
    </span>
  );
}
