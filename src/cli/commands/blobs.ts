import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Store, fetch and remove blobs',
  details: [
    'Store, fetch and remove blobs.',
    '',
    'Blobs are large inputs and outputs of skills. Ids may be shortened to an',
    'unambiguous beginning.',
  ].join('\n'),
  subcommands: {
    put: {
      summary: 'Store a file and print its id',
      arguments: [{ syntax: '<file>', description: 'File, or - for standard input' }],
      options: [
        {
          flags: '--kind <type>',
          description: 'Set the MIME type (default: detected by name and content)',
        },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills blobs put skills/greet/SKILL.md', explains: 'Store a file' },
        {
          command: 'echo a,b | skills blobs put - --kind text/csv',
          explains: 'Store piped input',
          notRun: 'it needs a shell',
        },
        {
          command: 'skills blobs put rows.csv --url http://127.0.0.1:8080',
          explains: 'Store a file in a remote runtime',
          notRun: 'it needs a running server',
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
          description: 'Save to this file, or - for standard output; never overwrites a file',
        },
        { flags: '--force', description: 'Overwrite the file of --out' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills blobs get 3f2a9c --out rows.csv',
          explains: 'Save a blob to a file',
          notRun: 'it needs a stored blob',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-files.ts')).getBlob(context, call),
    },
    ls: {
      summary: 'List blobs, newest first',
      options: [
        { flags: '--limit <count>', description: 'Show at most this many (default: 50)' },
        { flags: '--ids', description: 'Print only ids, one per line' },
      ],
      examples: [
        { command: 'skills blobs ls', explains: 'Show ids, sizes, types and expiry times' },
        { command: 'skills blobs ls --limit 5 --json', explains: 'Print the newest five as JSON' },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-list.ts')).listBlobs(context, call),
    },
    rm: {
      summary: 'Remove blobs',
      arguments: [{ syntax: '<blob...>', description: 'Ids, or their beginnings' }],
      examples: [
        {
          command: 'skills blobs rm 3f2a9c 77b0e1',
          explains: 'Remove two blobs; active runs keep their copies',
          notRun: 'it needs stored blobs',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-list.ts')).removeBlobs(context, call),
    },
    gc: {
      summary: 'Remove expired blobs and leftovers of crashed processes',
      options: [
        { flags: '-n, --dry-run', description: 'Show what would be removed, without removing it' },
      ],
      examples: [
        { command: 'skills blobs gc --dry-run', explains: 'Show what would be removed' },
        { command: 'skills blobs gc', explains: 'Remove it' },
      ],
      run: async (context, call) =>
        await (await import('../store/blob-list.ts')).collectGarbage(context, call),
    },
  },
}
