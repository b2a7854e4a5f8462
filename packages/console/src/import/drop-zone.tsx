import clsx from 'clsx';
import { FileUp } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));

const inputId = 'import-file';

/** Opens the file dialog of the drop zone, from elsewhere on the screen. */
export const chooseFile = () => document.getElementById(inputId)?.click();

/** Takes a CSV or NDJSON file, dropped or chosen. */
export function DropZone() {
  const [file, setFile] = useState<File>();
  const [isOver, setOver] = useState(false);
  return (
    <>
      <label
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          setFile(event.dataTransfer.files[0]);
        }}
        className={clsx(
          'mb-4 flex cursor-pointer flex-wrap items-center justify-center gap-x-3 gap-y-1 rounded-lg border-2 border-dashed px-4 py-4 text-center focus-within:outline-2 focus-within:outline-accent',
          isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-card hover:border-accent',
        )}
      >
        <FileUp className="size-5 text-accent-text" aria-hidden />
        <span>
          <span className="font-medium">Drop a CSV or NDJSON file here, or choose one.</span>{' '}
          <span className="text-muted">
            Users, items or events, also compressed with gzip. Large files are read in parts.
          </span>
        </span>
        <input
          id={inputId}
          type="file"
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json,.gz"
          aria-label="Import a file"
          className="sr-only"
          onChange={(event) => {
            setFile(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
      </label>
      {file && (
        <Suspense>
          <ImportDialog file={file} onClose={() => setFile(undefined)} />
        </Suspense>
      )}
    </>
  );
}
