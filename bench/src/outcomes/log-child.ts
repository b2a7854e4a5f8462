import { logAnswers } from './answer-log.ts';
import { answersOf, type VolumeShape } from './volume-answers.ts';

// A process of its own, whose memory is that of the log.
const [objectsFolder = '', shape = ''] = process.argv.slice(2);
await logAnswers(objectsFolder, answersOf(JSON.parse(shape) as VolumeShape));
