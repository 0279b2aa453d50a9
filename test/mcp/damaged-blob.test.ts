import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { httpTransport, newClient } from '../helpers/mcp.ts'
import { startTestServer } from '../helpers/server.ts'

it('a damaged blob is not returned as a resource', async () => {
  const server = await startTestServer({ withMcp: {} })
  const client = newClient('modern')
  onTestFinished(async () => await client.close())
  await client.connect(httpTransport(server.url))
  const created = await server.result('create_blob', { content: 'a,b', kind: 'text/csv' })
  const id = String(created['blob_id'])
  expect((await client.readResource({ uri: id })).contents).toMatchObject([{ text: 'a,b' }])
  const { data } = server.runtime.config.directories
  const content = join(data, 'blobs', id.slice('blob:'.length), 'content')
  writeFileSync(content, 'a,c', { flag: 'r+' })
  await expect(client.readResource({ uri: id })).rejects.toThrow('was changed or damaged')
})
