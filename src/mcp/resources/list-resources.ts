import type { McpServer } from '@modelcontextprotocol/server'
import { takePage } from '../skills/page.ts'
import type { SkillCatalog } from '../skills/skill-catalog.ts'

/** Lists the skills, page by page. Blobs and runs are found through the results that name them. */
export function addResourceList({ server }: McpServer, catalog: SkillCatalog): void {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { items, nextCursor } = takePage((await catalog.readSnapshot()).listed, params?.cursor)
    return { resources: [...items], ...(nextCursor !== undefined && { nextCursor }) }
  })
}
