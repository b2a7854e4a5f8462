/** The title of an item: the text of the attribute that the project names, or else its ID. The console shows the same. */
export function titleOf(
  itemId: string,
  attributes: Readonly<Record<string, unknown>>,
  titleAttribute: string | null | undefined,
): string {
  const value =
    typeof titleAttribute === 'string' && Object.hasOwn(attributes, titleAttribute)
      ? attributes[titleAttribute]
      : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : itemId;
}
