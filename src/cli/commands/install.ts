import type { CommandDefinition } from '../command.ts'
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
    '  --trust or --yes is needed: otherwise the skill is parked until',
    '  "skills approve", with exit status 4.',
    '- Without a source, missing and changed skills of skills.lock are restored.',
    '- Nothing of the skill is executed.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[source]',
      description:
        'Folder, archive, URL, owner/repo, owner/repo/path@ref, site#name, npm:package, or oci:host/name:tag',
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
    { flags: '--trust <digest>', description: 'Agree to the files with this digest' },
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
    { flags: '--force', description: 'Replace files that were changed after the installation' },
    {
      flags: '--frozen',
      description: 'Install what skills.lock has, and refuse changed or unknown files',
    },
    TRUSTED_ROOT_OPTION,
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
  ],
  async run(context, call) {
    const { runInstall } = await import('../install/run-install.ts')
    return await runInstall(context, call)
  },
}
