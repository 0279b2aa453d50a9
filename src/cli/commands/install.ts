import type { ForeignFormat } from '../../core/installing/exchange/foreign-lock.ts'
import type { MergeSide } from '../../core/installing/merging/merge-locks.ts'
import { SkillsError } from '../../errors.ts'
import { toFlag, type CommandDefinition, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { TRUSTED_ROOT_OPTION } from '../signing/trusted-root-option.ts'

export const command: CommandDefinition = {
  asksConsent: true,
  summary: 'Install skills into this project, or repair what is installed',
  details: [
    'Install skills into this project, or repair what is installed.',
    '',
    '- A source is a folder, an archive or its URL, a git repository, a skill',
    '  of a site, an npm package, or an artifact of an OCI registry.',
    '- owner/repo is a path if there is a folder owner here, and else a repository',
    '  of GitHub. Addresses of its folders on github.com are sources, too.',
    '- Of a repository with several skills, you choose: by --skill, --all, or',
    '  on a terminal from a list. A repository is never checked out.',
    '- The skill goes to .agents/skills, and its digests to skills.lock.',
    '- You are shown what the skill may do, and asked. Without a terminal,',
    '  --trust or --yes is needed: otherwise the skill is pending, which means',
    '  that it waits for your consent, and the exit status is 4.',
    '- Without a source, missing and changed skills of skills.lock are restored.',
    '- Nothing of the skill is executed.',
    '- --pending installs exactly the pending files: they are hashed again, and',
    '  nothing is downloaded.',
    '- --import and --export read and write skills-lock.json or .skill-lock.json,',
    '  the locks of the npm package "skills" and of "gh skill". Entries whose source',
    '  the other format does not have are listed, and other entries are kept. The',
    '  hashes of these files prove nothing: each skill is fetched and shown.',
    '- --merge keeps additions, updates and removals of both sides, and installs',
    '  nothing.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[source]',
      description:
        'Folder, archive, URL, owner/repo, owner/repo/path@ref, site#name, npm:package, or oci:host/name:tag; with --pending the name of a skill, with --import and --export the file of a lock',
    },
    { syntax: '[name...]', description: 'Skills of a repository, as --skill' },
  ],
  options: [
    {
      flags: '-s, --skill <name>',
      description: 'Install this skill of a repository (repeatable)',
      isRepeatable: true,
    },
    { flags: '--all', description: 'Install all skills of a repository' },
    { flags: '-l, --list', description: 'List the skills of a repository, and install none' },
    { flags: '-y, --yes', description: 'Agree to whatever the source has now' },
    {
      flags: '--trust <digest>',
      description: 'Agree to the files with this digest (with --import repeatable)',
      isRepeatable: true,
    },
    {
      flags: '-g, --global',
      description: 'Install into your own ~/.agents/skills, for all projects',
    },
    {
      flags: '-a, --agent <agent>',
      description: 'Link it into the folder of this agent; "detected", "all" (repeatable)',
      isRepeatable: true,
    },
    { flags: '--copy', description: 'Copy it into the folders of agents instead' },
    { flags: '--allow-downgrade', description: 'Replace a newer version' },
    {
      flags: '--allow-republished',
      description: 'Accept other files under a tag or version that is installed',
    },
    {
      flags: '--force',
      description: 'Replace files that were changed, and with --export entries of other sources',
    },
    {
      flags: '--frozen',
      description: 'Install what skills.lock has, and refuse changed or unknown files',
    },
    TRUSTED_ROOT_OPTION,
    {
      flags: '--pending',
      description: 'Install a skill that waits for your consent, or list them',
    },
    {
      flags: '--import',
      description:
        'Install the skills of a lock of another tool (default: skills-lock.json of the project, or ~/.agents/.skill-lock.json with --global)',
    },
    { flags: '--dry-run', description: 'With --import, fetch and compare, but change nothing' },
    {
      flags: '--export',
      description:
        'Write skills.lock in the format of another tool (default: to the file of --import)',
    },
    {
      flags: '--format <format>',
      description: 'Format of --export (default: skills-lock, or skill-lock with --global)',
      choices: ['skills-lock', 'skill-lock'] satisfies readonly ForeignFormat[],
    },
    {
      flags: '--merge [side]',
      description:
        'Resolve conflicts of git in skills.lock; the side decides on skills that both changed',
      choices: ['ours', 'theirs'] satisfies readonly MergeSide[],
    },
  ],
  examples: [
    {
      command: 'skills install https://example.com/greet-1.0.0.tar.gz#sha256=…',
      explains: 'Install an archive with this digest only',
      notRun: 'it needs a server',
    },
    {
      command: 'skills install owner/repo --skill greet --skill weather',
      explains: 'Install two skills of a repository of GitHub',
      notRun: 'it needs a server',
    },
    {
      command: 'skills install github:owner/repo/skills/greet@v1.0.0',
      explains: 'Install a folder of a git repository',
      notRun: 'it needs a server',
    },
    {
      command: 'skills install ./greet.tar.gz --trust sha256:… --json',
      explains: 'Install an archive in a script, and print JSON',
      notRun: 'it needs an archive',
    },
    {
      command: 'skills install --frozen',
      explains: 'Install exactly what skills.lock has',
      notRun: 'it needs a lock',
    },
    { command: 'skills install --pending', explains: 'List the skills that wait for your consent' },
    {
      command: 'skills install --pending demo.greet --trust sha256:…',
      explains: 'Install a pending skill in a script',
      notRun: 'it needs a pending skill',
    },
    {
      command: 'skills install --import --dry-run',
      explains: 'Show what skills-lock.json would install',
      notRun: 'it needs skills-lock.json',
    },
    {
      command: 'skills install --export ./skill-lock.json --format skill-lock',
      explains: 'Write the format of a user to a file',
      notRun: 'it needs installed skills',
    },
    {
      command: 'skills install --merge && git add skills.lock && skills install',
      explains: 'End a merge that stopped at skills.lock',
      notRun: 'it needs a conflict',
    },
  ],
  async run(context, call) {
    return await (
      await chooseMode(call)
    )(context, call)
  },
}

type Handler = (context: Context, call: CommandLine) => Promise<number>

interface Mode {
  /** Names of the options that it takes, except its own and the global ones. */
  options: readonly string[]
  maxArguments: number
  load(): Promise<Handler>
}

/** Modes of `skills install`, by the option that selects them. */
const MODES: Readonly<Record<string, Mode>> = {
  pending: {
    options: 'yes trust global allowDowngrade allowRepublished force trustedRoot'.split(' '),
    maxArguments: 1,
    load: async () => (await import('../install/run-install.ts')).runInstallPending,
  },
  import: {
    options: ['yes', 'trust', 'global', 'dryRun'],
    maxArguments: 1,
    load: async () => (await import('../lock/run-lock.ts')).importLock,
  },
  export: {
    options: ['format', 'global', 'force'],
    maxArguments: 1,
    load: async () => (await import('../lock/run-lock.ts')).runExportLock,
  },
  merge: {
    options: ['global'],
    maxArguments: 0,
    load: async () => (await import('../lock/run-lock.ts')).mergeLock,
  },
}

const GLOBAL_NAMES = new Set(['root', 'config', 'json', 'color', 'quiet', 'debug'])

/** Options that only one mode takes. */
const OWN_OPTIONS = { dryRun: 'import', format: 'export' }

/** The handler of a line; refuses options that would have no effect. */
async function chooseMode(call: CommandLine): Promise<Handler> {
  const used = Object.keys(call.options).filter(
    (name) => call.options[name] !== undefined && !GLOBAL_NAMES.has(name),
  )
  const name = used.find((each) => Object.hasOwn(MODES, each))
  const mode = name === undefined ? undefined : MODES[name]
  if (name === undefined || mode === undefined) {
    const [own, needed] = Object.entries(OWN_OPTIONS).find(([each]) => used.includes(each)) ?? []
    if (own !== undefined) throw invalidLine(`${toFlag(own)} needs --${needed}`)
    return (await import('../install/run-install.ts')).runInstall
  }
  const other = used.find((each) => each !== name && !mode.options.includes(each))
  if (other !== undefined) throw invalidLine(`${toFlag(other)} has no effect with --${name}`)
  const extra = call.args[mode.maxArguments]
  if (extra !== undefined) throw invalidLine(`--${name} does not take "${extra}"`)
  return await mode.load()
}

function invalidLine(problem: string): SkillsError {
  return new SkillsError('usage/invalid', problem, {
    hint: 'Type "skills install --help" to see what it takes',
  })
}
