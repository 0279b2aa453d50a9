import type { CommandDefinition } from '../command.ts'

const SOURCES = {
  syntax: '[source...]',
  description: 'Roots as in the configuration; all of them if omitted',
}
const CONSENT = [
  { flags: '-y, --yes', description: 'Agree to whatever the sources have now' },
  {
    flags: '--trust <digest>',
    description: 'Agree to the files with this digest (repeatable)',
    isRepeatable: true,
  },
] as const

const LIST: CommandDefinition = {
  summary: 'List the roots, and whether their files are here',
  details: [
    'List the roots, and whether their files are here.',
    '',
    '- The files of fetched roots are compared with their pinned digests.',
    '- The exit status is 1 if a root is not fetched, or was changed.',
  ].join('\n'),
  examples: [{ command: 'skills roots list', explains: 'List all roots' }],
  async run(context) {
    const { runListRoots } = await import('../roots/list-roots.ts')
    return await runListRoots(context)
  },
}

const FETCH: CommandDefinition = {
  asksConsent: true,
  summary: 'Fetch the roots of the configuration that are not here',
  details: [
    'Fetch the roots of the configuration that are not here.',
    '',
    '- A root without a pin is shown with the rights of its skills, and you are',
    '  asked. Without a terminal, --trust or --yes is needed: otherwise nothing',
    '  is fetched, with exit status 4.',
    '- The answer is saved in skills.roots.lock next to the configuration file:',
    '  commit it, so that others fetch the same files.',
    '- A root with a pin is fetched with exactly the pinned files.',
  ].join('\n'),
  arguments: [SOURCES],
  options: CONSENT,
  examples: [{ command: 'skills roots fetch', explains: 'Fetch what is missing' }],
  async run(context, call) {
    const { runFetchRoots } = await import('../roots/run-roots.ts')
    return await runFetchRoots(context, call, { isUpdate: false })
  },
}

const UPDATE: CommandDefinition = {
  asksConsent: true,
  summary: 'Fetch the newest files of roots, and agree to them',
  details: [
    'Fetch the newest files of roots, and agree to them.',
    '',
    'Changed files are shown with new rights, and need a new consent.',
  ].join('\n'),
  arguments: [SOURCES],
  options: CONSENT,
  examples: [{ command: 'skills roots update', explains: 'Update all roots' }],
  async run(context, call) {
    const { runFetchRoots } = await import('../roots/run-roots.ts')
    return await runFetchRoots(context, call, { isUpdate: true })
  },
}

const REMOVE: CommandDefinition = {
  summary: 'Remove the pin and the files of a root',
  arguments: [{ syntax: '<source>', description: 'Root as in the configuration' }],
  examples: [
    {
      command: 'skills roots remove github:acme/skills@v2',
      explains: 'Withdraw the consent',
      notRun: 'it needs a root that was fetched',
    },
  ],
  async run(context, call) {
    const { runRemoveRoot } = await import('../roots/run-roots.ts')
    return await runRemoveRoot(context, call)
  },
}

export const command: CommandDefinition = {
  summary: 'Fetch and list the folders in which skills are found',
  subcommands: { list: LIST, fetch: FETCH, update: UPDATE, remove: REMOVE },
}
