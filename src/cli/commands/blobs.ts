import { REFUSED_OPTIONS, REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Store, fetch and remove blobs',
  details:
    'Store, fetch and remove blobs: large values that skills take and make. Ids may be shortened as long as they are unambiguous.',
  subcommands: {
    put: {
      summary: 'Store a file and print its id',
      arguments: [{ syntax: '<file>', description: 'The file, or - for standard input' }],
      options: [
        {
          flags: '--kind <type>',
          description: 'MIME type; guessed by name and content if left out',
        },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills blobs put skills/greet/SKILL.md', explains: 'Store a file' },
        {
          command: 'echo a,b | skills blobs put - --kind text/csv',
          explains: 'Store what comes through a pipe',
          notRun: 'it needs a shell',
        },
        {
          command: 'skills blobs put rows.csv --url http://127.0.0.1:8080',
          explains: 'Store a file in a remote runtime',
          notRun: 'it needs a runtime that serves',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-files.ts')).putBlob(context, call),
    },
    get: {
      summary: 'Print the content of a blob, or save it',
      arguments: [{ syntax: '<blob>', description: 'Id of the blob, or its beginning' }],
      options: [
        {
          flags: '-o, --out <file>',
          description: 'Save it here, or - for standard output; what exists stays as it is',
        },
        { flags: '--force', description: 'Overwrite the file of --out' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills blobs get 3f2a9c --out rows.csv',
          explains: 'Save a blob, its bytes as they are',
          notRun: 'it names a blob that only some machine has',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-files.ts')).getBlob(context, call),
    },
    ls: {
      summary: 'List blobs, the newest first',
      options: [
        { flags: '--limit <count>', description: 'At most so many (50 unless given)' },
        { flags: '--ids', description: 'Only ids, one a line' },
        ...REFUSED_OPTIONS,
      ],
      examples: [
        { command: 'skills blobs ls', explains: 'Ids, sizes, types, and when they expire' },
        { command: 'skills blobs ls --limit 5 --json', explains: 'The newest five for a program' },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-list.ts')).listBlobs(context, call),
    },
    rm: {
      summary: 'Remove blobs',
      arguments: [{ syntax: '<blob...>', description: 'Ids, or their beginnings' }],
      options: REFUSED_OPTIONS,
      examples: [
        {
          command: 'skills blobs rm 3f2a9c 77b0e1',
          explains: 'Remove two blobs; runs that use them go on',
          notRun: 'it names blobs that only some machine has',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-list.ts')).removeBlobs(context, call),
    },
    gc: {
      summary: 'Remove blobs that have expired and what crashed programs left',
      options: [
        { flags: '-n, --dry-run', description: 'Remove nothing, say what would go' },
        ...REFUSED_OPTIONS,
      ],
      examples: [
        { command: 'skills blobs gc --dry-run', explains: 'See what would be removed' },
        { command: 'skills blobs gc', explains: 'Free the space' },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-list.ts')).collectGarbage(context, call),
    },
  },
}
