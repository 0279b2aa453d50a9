import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../helpers/server.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures/python-client', import.meta.url))
const run = promisify(execFile)

const skill = (name: string, code: string) => {
  const folder = `skills/${name}`
  return {
    [`${folder}/skill.toml`]: `name = "${name}"\nversion = "0.1.0"\ndescription = "For the client of the specification."\nkind = "action"\n\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nexport = "main"\n`,
    [`${folder}/SKILL.md`]: `---\nname: Example\nshort_description: An example.\n---\n\n# ${name}\n`,
    [`${folder}/code/main.py`]: code,
  }
}

const tree = {
  ...skill(
    'salesforce.leads.sync',
    `from runtime import blobs

def sync_leads(blob_id, env):
    if env == "broken":
        raise RuntimeError("Invalid API key")
    rows = blobs.read_text(blob_id).strip().splitlines()[1:]
    return {"count": len(rows), "errors": 0}

def main(args):
    result = sync_leads(args.get("sheet_blob"), args["env"])
    return {"summary": f"Synced {result['count']} leads.", **result}
`,
  ),
  ...skill(
    'gdrive.sheets.read',
    'def read_sheet(url):\n    return "name\\nAda\\nGrace\\n"\n\ndef main(args):\n    return read_sheet(args["url"])\n',
  ),
}

/**
 * Finds a Python interpreter with the package, the system's first because distributions ship it
 * there.
 */
async function pythonWithRequests(): Promise<string | undefined> {
  for (const python of ['/usr/bin/python3', 'python3']) {
    const found = await run(python, ['-c', 'import requests']).catch(() => undefined)
    if (found) return python
  }
  return undefined
}

const python = await pythonWithRequests()

describe('the Python client of the specification', () => {
  it('works unchanged', async (context) => {
    if (python === undefined)
      return context.skip('needs Python with requests: apt-get install python3-requests')
    const server = await startTestServer({ tree })
    const { stdout } = await run(python, ['session.py', `${server.url}/rpc`], { cwd: FIXTURES })
    const seen = JSON.parse(stdout) as Record<string, never>
    expect(seen['guide']).toContain('# Skills Protocol')
    expect(seen['listed']).toMatchObject([
      { name: 'salesforce.leads.sync', version: '0.1.0', namespace: 'salesforce', kind: 'action' },
    ])
    expect(seen['all']).toContain('gdrive.sheets.read')
    expect(seen['manifest']).toMatchObject({ name: 'salesforce.leads.sync' })
    expect(seen['docs']).toContain('# salesforce.leads.sync')
    expect(seen['preview']).toMatchObject({ truncated: false, kind: 'text/csv' })
    expect(seen['tail']).toMatchObject({ content: '.com\n', truncated: true })
    expect(seen['executed']).toMatchObject({
      status: 'completed',
      summary: 'Synced 1 leads.',
      output: { count: 1 },
    })
    expect(seen['failed']).toMatchObject({ status: 'failed', error: { type: 'RuntimeError' } })
    expect(seen['ran']).toMatchObject({ status: 'completed', output: { synced: 2, errors: 0 } })
    expect(seen['refused']).toMatch(/^RPC Error: .*-32602.*skill 'no\.such\.skill' not found/)
  })
})
