import { describe, expect, it } from 'vitest'
import {
  createExampleMarkdown,
  createExampleToml,
  EXAMPLE_TABLES,
  extendExampleBody,
} from '../../../src/core/lint/example-skill.ts'
import { lintFindings, lintFixedFile } from '../../helpers/rule-cases.ts'

const lintBody = async (body: string, rule: string) =>
  (await lintFindings({ 'SKILL.md': extendExampleBody(body) }, [rule])).map(({ at }) => at)

describe('links that refer to no file of the skill', () => {
  it.each([
    ['a variable', 'See [it]({baseDir}/references/a.md) and [b]($HOME/a.md).'],
    ['a placeholder', 'Write `[text](url)` as [text](url), [x](<path>) or [y](path/to/file.md).'],
    ['an ellipsis', 'See [it](.../a.md).'],
    ['a footnote', 'Text.[^1]\n\n[^1]: GitHub Blog. (2022). "Diagrams." https://example.com/\n'],
    [
      'brackets in prose',
      '*[Skills](Agent Skills (credit: a team))* and [INFO]: text follows here',
    ],
    ['a file to write', 'Save the summary to [summary.md](summary.md).'],
    ['a template', '````markdown\n```sh\nls\n```\n- [a](./a.md)\n````\n'],
    ['an inner fence', '```markdown\n# T\n```sh\nls\n```\n- [a](./a.md)\n```\n'],
    ['a comment', '<!-- See [it](old.md). -->'],
    ['a fence in a list', '- Step\n\n    ```md\n    [a](./a.md)\n    ```\n'],
    ['double backticks', 'Write ``[a](`b`.md)`` here.'],
  ])('are not reported for %s', async (_, body) => {
    expect(await lintBody(body, 'docs/broken-link')).toEqual([])
  })

  it.each([
    ['a label with a title', 'See [x](docs/no.md "Title").', 'docs/no.md'],
    ['an angle bracket', 'See [x](<references/no space.md>).', 'references/no space.md'],
    ['parentheses', 'See [x](references/no(1).md).', 'references/no(1).md'],
    ['a definition', 'See [x].\n\n[x]: references/no.md\n', 'references/no.md'],
    ['a verb of another sentence', 'Create a report. See [x](no.md).', 'no.md'],
    ['reading before writing', 'To create one, read [x](references/no.md).', 'references/no.md'],
    ['text after a closed fence', '```markdown\n# T\n```\n\nSee [a](./no.md).\n', './no.md'],
  ])('are reported for %s', async (_, body, target) => {
    expect(await lintBody(body, 'docs/broken-link')).toEqual([target])
  })

  it('are not reported for paths of examples and files to write, but for others', async () => {
    const body =
      '- **Example**: `scripts/rotate.py`\n- Save it as `assets/out.json`.\n- Run `scripts/no.py`.\n'
    expect(await lintBody(body, 'docs/missing-reference')).toEqual(['scripts/no.py'])
  })
})

describe('docs/unclosed-fence', () => {
  it('points at the block that a later fence should have found closed', async () => {
    const body = '```sh\nls\n\nText.\n\n```json\n{}\n```\n\n```\nmore\n'
    expect(await lintBody(body, 'docs/unclosed-fence')).toEqual(['```sh'])
  })
})

describe('fixes of Markdown', () => {
  const nested = '````\n```\n\u200B```sh\nls\n\u200B```\n```\n````\n'

  it('keep a zero-width space on which the end of a code block depends', async () => {
    const text = extendExampleBody(`\`\`\`\n \u200B\`\`\`\nls\n\`\`\`\n\n${nested}`)
    expect(await lintFixedFile({ 'SKILL.md': text }, { file: 'SKILL.md' })).toBe(text)
  })

  it('refuse an edit that changes blocks and keep the others', async () => {
    const text = extendExampleBody('One.\n\n\u2060#\u200B Not a heading\n\nGre\u200Bets.   \n')
    const fixed = await lintFixedFile({ 'SKILL.md': text }, { file: 'SKILL.md' })
    expect(fixed).toContain('\u2060#')
  })

  it('remove marks that change no block', async () => {
    const text = extendExampleBody('Gre\u200Bets.\n')
    expect(await lintFixedFile({ 'SKILL.md': text }, { file: 'SKILL.md' })).toBe(
      text.replace('\u200B', ''),
    )
  })
})

describe('Python files that no run loads', () => {
  const script =
    'import os\nimport requests\n\nprint(requests.get(input("Address? "), os.environ["CRM_KEY"]))\n'
  const ids = ['entrypoint/interactive-input', 'entrypoint/work-at-import', 'permissions']

  it('are not reported for what only a run does not have', async () => {
    const setup = 'print(open("README.md").read())\n'
    const files = {
      'scripts/try_it.py': script,
      'tests/test_main.py': script,
      'setup.py': setup,
      'README.md': 'Hello\n',
    }
    expect(await lintFindings(files, [...ids, 'entrypoint/working-directory'])).toEqual([])
  })

  it.each([
    ['an import', 'import try_it\n', 'code/try_it.py'],
    ['a relative import', 'from .other import try_it\n', 'code/other/try_it.py'],
    ['an import of an imported file', 'import between\n', 'code/try_it.py'],
    ['a name', 'SCRIPT = "try_it.py"\n', 'scripts/try_it.py'],
    [
      'an import whose name is computed',
      'import importlib\n\nMODULE = importlib.import_module("try" + "_it")\n',
      'code/try_it.py',
    ],
  ])('are reported if a run reaches them by %s', async (_, line, path) => {
    const main = `${line}\n\ndef main(args):\n    return {"who": args["who"]}\n`
    const files = {
      'code/main.py': main,
      'code/between.py': 'import try_it\n',
      [path]: script,
    }
    const found = await lintFindings(files, ids)
    expect(found.map(({ at }) => at)).toEqual(
      expect.arrayContaining(['input', '"CRM_KEY"', 'requests']),
    )
  })
})

describe('rights that Python code does not surely need', () => {
  it.each([
    ['a default', 'os.environ.get("PORT_OF_CRM", "80")', 'warning'],
    ['no default', 'os.environ.get("PORT_OF_CRM")', 'error'],
    ['a default of None', 'os.environ.get("PORT_OF_CRM", None)', 'error'],
  ])('a variable with %s is a finding of another severity', async (_, read, severity) => {
    const code = `import os\n\n\ndef main(args):\n    return {"who": args["who"], "at": ${read}}\n`
    const found = await lintFindings({ 'code/main.py': code }, ['permissions/undeclared-secret'])
    expect(found.map((each) => each.severity)).toEqual([severity])
  })

  it.each([
    ['the name of the host', 'import socket\n', 'socket.gethostname()', 0],
    ['a connection', 'import socket\n', 'socket.create_connection(("a", 1))', 1],
    ['this machine', 'import requests\n', 'requests.get("http://localhost:8080/x").text', 0],
    ['another host', 'import requests\n', 'requests.get("https://acme.io/x").text', 1],
  ])('the network is needed or not for %s: %s %s', async (...[, line, call, count]) => {
    const code = `${line}\n\ndef main(args):\n    return {"who": args["who"], "text": ${call}}\n`
    const found = await lintFindings({ 'code/main.py': code }, ['permissions/undeclared-network'])
    expect(found).toHaveLength(count)
  })

  it('a declared secret is used if a script of another language reads it', async () => {
    const tables = `${EXAMPLE_TABLES}\n[permissions]\nsecrets = ["CRM_KEY"]\n`
    const files = {
      'skill.toml': createExampleToml({}, tables),
      'scripts/a.sh': 'echo "$CRM_KEY"\n',
    }
    expect(await lintFindings(files, ['permissions/unused-secret'])).toEqual([])
  })

  it('an input that is read from stdin is no error, because reading nothing is no failure', async () => {
    const code =
      'import sys\n\n\ndef main(args):\n    return {"who": sys.stdin.read() or args["who"]}\n'
    const found = await lintFindings({ 'code/main.py': code }, ['entrypoint/interactive-input'])
    expect(found.map((each) => each.severity)).toEqual(['warning'])
  })
})

describe('SKILL.md and the manifest', () => {
  it.each([
    ['descriptions', '| Input | Meaning |\n| --- | --- |\n| `who` | Number of a person |\n'],
    ['the options of a program', '| Option | Meaning |\n| --- | --- |\n| `path` | Folder |\n'],
    [
      'an option of a command line',
      '| Option | Type |\n| --- | --- |\n| `--max-rows` | integer |\n',
    ],
  ])('do not differ for a table of %s', async (_, table) => {
    const tables = `${EXAMPLE_TABLES}max_rows = { type = "integer", description = "Most rows" }\n`
    const files = {
      'skill.toml': createExampleToml({}, tables),
      'SKILL.md': extendExampleBody(table),
    }
    expect(await lintFindings(files, ['docs/table-drift'])).toEqual([])
  })

  it.each([
    ['"0.1"', 0],
    ['0.1', 0],
    ['"0.2"', 1],
  ])('have the same version for %s', async (version, count) => {
    const text = createExampleMarkdown(
      `name: greet\ndescription: Greets somebody by name.\nmetadata:\n  version: ${version}\n`,
    )
    expect(await lintFindings({ 'SKILL.md': text }, ['docs/version-drift'])).toHaveLength(count)
  })
})

it.each([
  ['.env.example.txt', 0],
  ['.env.local.example', 0],
  ['.env.production', 1],
])('%s is a credential file: %d', async (path, count) => {
  expect(await lintFindings({ [path]: 'A=b\n' }, ['hygiene/credential-file'])).toHaveLength(count)
})

it('an exit of a file that is started by hand does not end a run', async () => {
  const code =
    'import sys\n\n\ndef main(args):\n    return {"who": args["who"]}\n\n\ndef cli():\n    sys.exit(1)\n\n\nif __name__ == "__main__":\n    print(main({"who": "Ada"}))\n    sys.exit(0)\n'
  expect(await lintFindings({ 'code/main.py': code }, ['entrypoint/process-exit'])).toEqual([])
})
