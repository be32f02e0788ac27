// Opens pages in a browser and lets axe and Lighthouse judge whether everybody can use them: `accessibility.mjs PAGE…`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:http";
import lighthouse from "lighthouse";
import puppeteer from "puppeteer-core";

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
let failed = 0;
const complain = (what) => {
  failed += 1;
  console.log(what);
};

// Lighthouse takes no files, only addresses.
const pages = new Map(process.argv.slice(2).map((file, i) => [`/${i}.html`, file]));
const server = createServer((request, response) => {
  const file = pages.get(request.url);
  response.writeHead(file ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
  response.end(file ? readFileSync(file) : "");
}).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const root = `http://127.0.0.1:${server.address().port}`;

for (const [path, file] of pages) {
  for (const [width, height, scheme] of [[1100, 900, "light"], [1100, 900, "dark"], [390, 844, "light"]]) {
    const page = await browser.newPage();
    await page.setBypassCSP(true);
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.goto(root + path);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
    console.log(`${file}, ${width} wide, ${scheme}: axe, ${passes.length} rules passed, ${violations.length} violated`);
    for (const { id, help, nodes } of violations) complain(`  ${id}: ${help}, at ${nodes[0].html.slice(0, 200)}`);
    await page.close();
  }
  const options = { port: Number(new URL(browser.wsEndpoint()).port), onlyCategories: ["accessibility"], logLevel: "error" };
  const { lhr } = await lighthouse(root + path, options);
  const score = lhr.categories.accessibility.score;
  console.log(`${file}: Lighthouse accessibility ${Math.round(100 * score)}`);
  if (score < 1) {
    const missed = Object.values(lhr.audits).filter((audit) => audit.score === 0);
    complain(`  ${missed.map((audit) => audit.title).join("; ")}`);
  }
}
server.close();
await browser.close();
console.log(failed ? `${failed} findings` : "no findings");
process.exit(failed ? 1 : 0);
