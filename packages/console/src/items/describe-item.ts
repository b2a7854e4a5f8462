import { titleOf as titleIn } from '@tastegraph/files/title';
import type { ItemRecord } from '@tastegraph/sdk';

export type Attributes = NonNullable<ItemRecord['attributes']>;
type Value = Attributes[string];

/** Which attributes name and picture an item, and which others are worth showing. */
export interface ItemLook {
  readonly title: string | undefined;
  readonly picture: string | undefined;
  readonly details: readonly string[];
}

const titleNames = ['title', 'name', 'itemname', 'productname', 'itemtitle', 'headline', 'label'];
const pictureNames = [
  'image',
  'picture',
  'imageurl',
  'pictureurl',
  'thumbnail',
  'thumbnailurl',
  'cover',
  'coverurl',
  'photo',
  'poster',
  'img',
];
const imageFile = /\.(?:avif|gif|jpe?g|png|svg|webp)(?:\?|$)/i;
const maxDetails = 4;
/** Descriptions are too long for a list. */
const maxDetailLength = 60;

/** The attributes that the project names; null where it names none. */
interface NamedAttributes {
  readonly title_attribute: string | null;
  readonly picture_attribute: string | null;
}

/** The look of a project's items: what the project names, and otherwise a guess from a sample. All screens use this one. */
export function itemLook(named: NamedAttributes, sample: readonly Attributes[]): ItemLook {
  const names = [...new Set(sample.flatMap((attributes) => Object.keys(attributes)))];
  const values = (name: string) => sample.flatMap((attributes) => attributes[name] ?? []);
  const find = (wanted: readonly string[], accept: (name: string) => boolean) =>
    wanted
      .map((one) => names.find((name) => plain(name) === one))
      .find((name) => name !== undefined && accept(name));
  const title =
    named.title_attribute ??
    find(titleNames, (name) => values(name).some((value) => typeof value === 'string'));
  const picture =
    named.picture_attribute ??
    find(pictureNames, (name) => values(name).some((value) => pictureUrl(value) !== undefined)) ??
    names.find((name) => values(name).some((value) => typeof value === 'string' && imageFile.test(value)));
  const details = names.filter(
    (name) =>
      name !== title &&
      name !== picture &&
      values(name).every((value) => String(value).length <= maxDetailLength),
  );
  return { title, picture, details: details.slice(0, maxDetails) };
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

type Fields = Readonly<Record<string, unknown>>;

export const titleOf = (itemId: string, attributes: Fields, look: ItemLook): string =>
  titleIn(itemId, attributes, look.title);

export function pictureOf(attributes: Fields, look: ItemLook): string | undefined {
  return look.picture === undefined ? undefined : pictureUrl(attributes[look.picture]);
}

/** Only addresses that the content security policy lets a picture be loaded from. */
function pictureUrl(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first !== 'string') return undefined;
  return URL.canParse(first) && new URL(first).protocol === 'https:' ? first : undefined;
}

export function formatValue(value: Value | undefined): string {
  if (value === null || value === undefined) return '–';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
