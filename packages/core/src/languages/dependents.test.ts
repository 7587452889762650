import { createRipgrep } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { dependentsOf } from './dependents.js';
import { languageOf, languagesOf } from './known-servers.js';

async function dependents(path: string, content: Record<string, string>): Promise<string[]> {
  await using temp = createTempWorkspace({ content });
  const language = languageOf(path, languagesOf({}))!;
  const { signal } = new AbortController();
  const needs = { language, root: temp.directory, ripgrep: createRipgrep(), signal };
  const found = await dependentsOf([temp.path(path)], needs);
  return found.map((file) => file.slice(temp.directory.length + 1)).sort();
}

it('files that import a file are found, also those that get it from one that passes it on', async () => {
  const content = {
    'shop/price.ts': 'export const price = 1;\n',
    'shop/index.ts': "export {\n  price,\n} from './price.js';\n",
    'bill.ts': "import { price } from './shop';\n",
    'direct.ts': "import { price } from './shop/price.js';\n",
    'other.ts': "import { other } from './elsewhere';\n",
  };
  expect(await dependents('shop/price.ts', content)).toEqual(['bill.ts', 'direct.ts', 'shop/index.ts']);
});

it('files of Python are found that import a module in brackets, or what its package passes on', async () => {
  const content = {
    'shop/price.py': 'def price(): pass\n',
    'shop/__init__.py': 'from .price import price\n',
    'bill.py': 'from shop import price as p\n',
    'bracket.py': 'from shop import (\n    other,\n    price,\n)\n',
    'whole.py': 'import shop\n',
    'comment.py': '# price\n',
  };
  expect(await dependents('shop/price.py', content)).toEqual([
    'bill.py',
    'bracket.py',
    'shop/__init__.py',
    'whole.py',
  ]);
});
