import type { ChartData } from '@tastegraph/charts/interactive';

export interface ChartProps {
  /** Charts of different data need different keys: the same chart keeps its zoom while its data changes. */
  readonly data: ChartData;
  /** The height, or the ratio of the sides. */
  readonly className: string;
  readonly canZoom?: boolean;
  /** The name and index of the datum that the pointer is on, or undefined. */
  readonly onPoint?: (datum: Datum | undefined) => void;
  readonly onPick?: (datum: Datum) => void;
}

interface Datum {
  readonly name: string;
  readonly index: number;
}
