/** A genre of the sample bookshop: its title words, average price, and how demand depends on season and age. */
interface GenreProfile {
  /** `{a}` and `{b}` are replaced with a word from each list. */
  readonly titles: readonly string[];
  readonly a: readonly string[];
  readonly b: readonly string[];
  /** The average price of a book. */
  readonly price: number;
  /** Relative demand per month, January first. */
  readonly season: readonly number[];
  /** Relative demand per age group, youngest first. */
  readonly ages: readonly number[];
}

const words = (text: string) => text.split(', ');

const evenly = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];

export const genreProfiles = {
  Crime: {
    titles: [
      'The {a} {b}',
      'Death of a {b}',
      'The {b} Who Lied',
      'One {b} Too Many',
      'The {a} {b}’s Daughter',
    ],
    a: words('Silent, Drowned, Second, Borrowed, Crooked, Patient, Hollow, Northern, Missing, Careful'),
    b: words('Witness, Ferryman, Locksmith, Verger, Notary, Lodger, Widow, Clockmaker, Informer, Juror'),
    price: 13,
    season: [1.2, 1.1, 1, 0.9, 0.9, 1, 1, 1, 1.2, 1.7, 1.7, 1.2],
    ages: [0.7, 1, 1.2, 1.3, 1.3],
  },
  Thriller: {
    titles: ['{a} {b}', 'The {a} {b}', '{b} at Midnight', 'Before the {b}', 'No {b} Left'],
    a: words('Zero, Final, Blind, Broken, Cold, Hidden, Red, Burning, Dark, Last'),
    b: words('Signal, Border, Protocol, Exit, Cargo, Harbour, Witness Line, Frequency, Verdict, Passage'),
    price: 12,
    season: [1, 1, 1, 1, 1, 1.4, 1.9, 1.9, 1.1, 1, 0.9, 0.9],
    ages: [1.1, 1.3, 1.2, 1, 0.7],
  },
  Fantasy: {
    titles: ['The {a} of {b}', 'A {a} for {b}', '{b}: The {a}', 'The Last {a} of {b}'],
    a: words('Crown, Oath, Lantern, Raven, Tower, Blade, Song, Gate, Dragon, Mirror'),
    b: words(
      'Ashvale, Winterholt, the Nine Rivers, Moss and Bone, Salt, Starfall, Hollow Hill, Embers, the Deep Wood, Thorn',
    ),
    price: 16,
    season: [1.1, 1, 1, 1, 1, 1, 1, 1, 1, 1.1, 1.2, 1.6],
    ages: [2.4, 1.6, 1, 0.6, 0.4],
  },
  'Science Fiction': {
    titles: ['{a} {b}', 'The {a} {b}', 'Beyond the {a} {b}'],
    a: words('Distant, Orbital, Quantum, Silent, Lunar, Seventh, Drifting, Electric, Outer, Glass'),
    b: words(
      'Colony, Horizon, Engine, Archive, Station, Constellation, Machine, Meridian, Harvest, Equation',
    ),
    price: 15,
    season: evenly,
    ages: [1.7, 1.7, 1.2, 0.8, 0.5],
  },
  Romance: {
    titles: ['The {b} {a}', 'A {a} by the {b}', 'One {a}, Two Hearts', 'The {a} at the {b}', 'Her {b} {a}'],
    a: words('Summer, Promise, Letter, Bakery, Wedding, Second Chance, Kiss, Secret, Dance, Holiday'),
    b: words('Harbour, Orchard, Lighthouse, Garden, Vineyard, Island, Lake, Bookshop, Beach, Village'),
    price: 10,
    season: [1, 1.7, 1, 1, 1.1, 1.3, 1.3, 1.2, 0.9, 0.9, 0.9, 1.2],
    ages: [1.5, 1.4, 1, 1, 0.9],
  },
  History: {
    titles: ['The {a} of {b}', '{b}: A History', 'A Short History of {b}', 'When {b} Ruled'],
    a: words('Rise, Fall, Age, Making, Legacy, Merchants, Women, Siege, Roads, Ships'),
    b: words(
      'Carthage, the Hanse, Byzantium, the Silk Road, Venice, the Vikings, Old Prague, the Plague Years, Salt and Silk, the Steam Age',
    ),
    price: 24,
    season: [1.2, 1.1, 1, 1, 1, 0.9, 0.8, 0.8, 1, 1.1, 1.2, 1.3],
    ages: [0.4, 0.7, 1.1, 1.6, 2],
  },
  Travel: {
    titles: ['By {a} through {b}', 'A Year in {b}', '{b} by {a}'],
    a: words(
      'Night Train, Bicycle, Canoe, Slow Boat, Motorbike, Camper Van, Post Bus, Sailing Boat, Foot, Donkey',
    ),
    b: words(
      'Patagonia, the Balkans, Hokkaido, the Hebrides, Andalusia, the Caucasus, Lapland, Sicily, the Azores, Anatolia',
    ),
    price: 19,
    season: [1.1, 1.1, 1.3, 1.6, 2.2, 2.4, 2.2, 1.4, 0.8, 0.6, 0.5, 0.7],
    ages: [1, 1.3, 1, 1.1, 1.1],
  },
  Cooking: {
    titles: ['{a} {b}', 'The {a} {b} Book', '{a} {b} for Every Day', 'Simply {b}'],
    a: words('Slow, Green, Sunday, One-Pot, Rustic, Weeknight, Festive, Coastal, Grandmother’s, Modern'),
    b: words('Soups, Bread, Dumplings, Salads, Pasta, Vegetables, Baking, Preserves, Feasts, Spices'),
    price: 27,
    season: [1.2, 0.9, 0.9, 0.9, 0.8, 0.8, 0.8, 0.8, 1, 1.3, 2.3, 3],
    ages: [0.7, 1.2, 1.3, 1.1, 1],
  },
  Gardening: {
    titles: ['The {a} {b}', '{b} Month by Month', 'A {a} {b} for Beginners', 'My {a} {b}'],
    a: words('Cottage, Balcony, Wild, Walled, Small, Kitchen, Shady, Dry, City, Winter'),
    b: words('Garden, Border, Orchard, Allotment, Herb Bed, Rose Bed, Greenhouse, Meadow, Hedge, Pond'),
    price: 22,
    season: [0.8, 1.6, 3, 3, 2.4, 1.4, 1, 0.8, 0.8, 0.6, 0.5, 0.6],
    ages: [0.3, 0.6, 1, 1.7, 2.2],
  },
  Nature: {
    titles: ['The {a} Life of {b}', 'In Praise of {b}', 'The {a} World of {b}'],
    a: words('Secret, Hidden, Long, Quiet, Strange, Wild, Inner, Brief, Busy, Ancient'),
    b: words('Owls, Rivers, Beetles, Moss, Foxes, Trees, Whales, Hedgerows, Swifts, Fungi'),
    price: 18,
    season: [0.9, 0.9, 1.2, 1.4, 1.4, 1.2, 1.1, 1, 1, 0.9, 0.9, 1],
    ages: [0.8, 1, 1.1, 1.2, 1.3],
  },
  Poetry: {
    titles: ['{a} {b}', '{b} without {a}', '{b} and {a}'],
    a: words('Rain, Salt, Window, Winter, Paper, Milk, Small, Evening, Copper, Sleep'),
    b: words('Hours, Birds, Letters, Weather, Rooms, Ladders, Stones, Voices, Light, Maps'),
    price: 11,
    season: [1, 1.4, 1.1, 1.2, 1, 0.9, 0.9, 0.9, 1, 1, 1, 1.1],
    ages: [1.2, 1, 0.9, 0.9, 1],
  },
  Biography: {
    titles: ['The {a} {b}', 'A {a} {b}', 'Notes of a {a} {b}'],
    a: words(
      'Unlikely, Reluctant, Forgotten, Restless, First, Stubborn, Travelling, Last, Self-Taught, Tireless',
    ),
    b: words(
      'Architect, Violinist, Midwife, Astronomer, Cartographer, Surgeon, Printer, Aviator, Botanist, Chess Player',
    ),
    price: 21,
    season: [1, 1, 1, 1, 1, 1, 0.9, 0.9, 1, 1.1, 1.3, 1.5],
    ages: [0.5, 0.8, 1.1, 1.4, 1.6],
  },
} as const satisfies Record<string, GenreProfile>;

export type Genre = keyof typeof genreProfiles;
export const genres = Object.keys(genreProfiles) as Genre[];
