import { renderSvg } from '../src/svg.ts';
import { sampleDistribution, sampleMap } from './samples.ts';

process.stdout.write(JSON.stringify([renderSvg(sampleMap()), renderSvg(sampleDistribution())]));
