/** Three tastes and how they are related. */
export function Logo() {
  return (
    <span className="flex items-center gap-2 text-base font-semibold tracking-tight">
      <img src="/favicon.svg" alt="" width={24} height={24} />
      Tastegraph
    </span>
  );
}
