import type { CommandDefinition } from '../command.ts'
import { PASSPHRASE_OPTION } from '../signing/passphrase.ts'

export const command: CommandDefinition = {
  summary: 'Publish a skill, and verify what the target returns',
  details: [
    'Publish a skill to a target, fetch it back, and compare all digests.',
    '',
    '- site:<folder>: files for any web server, with indexes and pages.',
    '- git: an annotated tag of the commit, and files to attach to a release.',
    '- npm:<package>: a package; oci:<host>/<name>: a tag of a registry. Tokens',
    '  are those of .npmrc, of docker login, or SKILLS_REGISTRY_TOKEN.',
    '- https://<host>: a "skills serve"; the token is SKILLS_TOKEN.',
    '- Refused: lint errors, failed tests, files that are not committed, a',
    '  version that is not higher, and a step that is too small for the changes.',
    '- A published version is never replaced. With the same files, the command',
    '  says so and exits with 0.',
    '- Nothing of the skill is executed, except its tests in sandboxes.',
  ].join('\n'),
  arguments: [{ syntax: '<skill>', description: 'Name or folder of a skill' }],
  options: [
    { flags: '--to <target>', description: 'Where to publish, such as site:./public' },
    { flags: '-n, --dry-run', description: 'Show exactly what would be written, write nothing' },
    { flags: '--sign <key>', description: 'Sign the release and its test results with this key' },
    {
      flags: '--source <source>',
      description: 'State the origin in the signature: github:owner/repo',
    },
    PASSPHRASE_OPTION,
    { flags: '--no-tests', description: 'Skip the tests; the signature does not mention any' },
    { flags: '--allow-dirty', description: 'Publish files that are not committed' },
    {
      flags: '--allow-small-step',
      description: 'Accept a version step that is smaller than the changes need',
    },
    { flags: '--base-url <url>', description: 'site: address of the site, for marketplaces' },
    { flags: '--site-name <name>', description: 'site: name of the site and its marketplaces' },
    { flags: '-o, --out <dir>', description: 'git: write the archives into this folder' },
    {
      flags: '--push <remote>',
      description: 'git: push the tag, and nothing else, to this remote',
    },
    { flags: '--token-file <file>', description: 'https: read the token from this file' },
    { flags: '--tag <name>', description: 'npm: tag that names the version (default: latest)' },
    { flags: '--timeout <duration>', description: 'Limit for each request (default: 60s)' },
    { flags: '--max-files <n>', description: 'Refuse more files (default: 512)' },
    { flags: '--max-size <size>', description: 'Refuse more bytes, unpacked (default: 16MiB)' },
  ],
  examples: [
    {
      command: 'skills publish ./skills/greet --to site:./public --dry-run',
      explains: 'Show the files that a site would get',
    },
    {
      command: 'skills publish ./skills/greet --to site:./public --base-url https://example.com',
      explains: 'Add the skill to a site, with absolute addresses in its marketplaces',
    },
    {
      command: 'skills publish demo.greet --to site:./public --sign release --json',
      explains: 'Sign the release, and print the result as JSON',
      notRun: 'it needs a key',
    },
  ],
  subcommands: {
    yank: {
      summary: 'Withdraw a published version, which stays downloadable',
      details: [
        'Withdraw a published version.',
        '',
        '- Indexes offer the newest version that is left. The files stay: what is',
        '  locked to them can still be installed and verified.',
        '- The number of a withdrawn version cannot be used again.',
      ].join('\n'),
      arguments: [{ syntax: '<version>', description: 'The version, as greet@1.0.0' }],
      options: [
        { flags: '--to <target>', description: 'Where it was published' },
        { flags: '--reason <text>', description: 'Shown to users (default: "withdrawn")' },
        { flags: '-n, --dry-run', description: 'Show what would be written, write nothing' },
        { flags: '--timeout <duration>', description: 'Limit for each request (default: 60s)' },
      ],
      examples: [
        {
          command: 'skills publish yank greet@1.0.0 --to site:./public --reason "deletes files"',
          explains: 'Withdraw a version from a site',
          notRun: 'it needs a site',
        },
        {
          command: 'skills publish yank greet@1.0.0 --to site:./public --dry-run --json',
          explains: 'Print the files that would change as JSON',
          notRun: 'it needs a site',
        },
      ],
      async run(context, call) {
        const { runYank } = await import('../publish/run-yank.ts')
        return await runYank(context, call)
      },
    },
  },
  startsRuns: true,
  async run(context, call) {
    const { runPublish } = await import('../publish/run-publish.ts')
    return await runPublish(context, call)
  },
}
