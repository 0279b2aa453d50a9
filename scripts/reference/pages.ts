import { renderCommands } from './commands.ts'
import { renderConfiguration } from './configuration.ts'
import { renderErrors } from './errors.ts'
import { renderPolicy, renderSkillManifest } from './files.ts'
import { list, renderPage, type Pages } from './markdown.ts'
import { renderMethods } from './methods.ts'
import { renderTests } from './tests.ts'
import { renderRules } from './rules.ts'

/** Every page below docs/reference, by its relative path. */
export async function renderReference(): Promise<Pages> {
  return new Map([
    ['index.md', renderIndex()],
    ['commands.md', await renderCommands()],
    ['configuration.md', renderConfiguration()],
    ['errors.md', renderErrors()],
    ['methods.md', renderMethods()],
    ['policy.md', renderPolicy()],
    ['skill-manifest.md', renderSkillManifest()],
    ['tests.md', renderTests()],
    ...renderRules(),
  ])
}

function renderIndex(): string {
  return renderPage('Reference', [
    'These pages are generated from the source code.',
    list([
      '[Commands](commands.md): every command, its options, examples and exit status',
      '[Configuration keys](configuration.md): types, defaults and environment variables',
      '[skill.toml](skill-manifest.md): keys of the manifest of a skill',
      '[Tests of skills](tests.md): keys of files of cases, and expectations',
      '[policy.toml](policy.md): keys of a policy file',
      '[Lint rules](rules/index.md): what each rule finds, why, and how to fix it',
      '[JSON-RPC methods](methods.md): parameters, results, scopes and profiles',
      '[Error codes](errors.md): exit status, HTTP status and JSON-RPC code of each error',
    ]),
  ])
}
