// Drives the dashboard in a browser: node dashboard.js URL FOLDER. Prints one JSON object of what was seen.
// Needs the package playwright-core (NODE_PATH) and a Chromium, whose path is in CHROMIUM.
const { chromium } = require("playwright-core");
const [url, folder, token] = process.argv.slice(2);
(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1300, height: 1000 } });
  const page = await context.newPage();
  const seen = { errors: [], outside: [] };
  page.on("pageerror", e => seen.errors.push(String(e)));
  page.on("console", m => { if (m.type() === "error" && !/40[14]/.test(m.text())) seen.errors.push(m.text()); });
  page.on("request", r => { if (!r.url().startsWith(url)) seen.outside.push(r.url()); });
  await page.goto(url + "/");
  if (token) {
    await page.waitForSelector("#token");
    await page.fill("#token", token);
    await page.keyboard.press("Enter");
  }
  await page.waitForSelector("#recent tr.row");
  await page.waitForSelector("#running .job pre:not(:empty)");
  seen.running = await page.locator("#running").innerText();
  seen.queue = await page.locator("#queue").innerText();
  seen.recent = await page.locator("#recent").innerText();
  seen.history = await page.locator("#history").innerText();
  seen.classes = await page.locator("#classes").innerText();
  seen.devices = await page.locator("#devices").innerText();
  seen.markup = await page.locator("#recent img, #recent script").count();
  await page.screenshot({ path: folder + "/light.png", fullPage: true });
  await page.locator("#recent tr.row", { hasText: "REJECTED" }).first().click();
  await page.waitForSelector("#detail .check.error");
  seen.detail = await page.locator("#detail").innerText();
  await page.click("#lang");
  await page.waitForFunction(() => /[\u4e00-\u9fff]/.test(document.querySelector("#detail .check").innerText));
  seen.chinese = await page.locator("main").innerText();
  await page.click("#theme");
  seen.dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.screenshot({ path: folder + "/dark.png", fullPage: true });
  await page.click("#theme");
  seen.light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.locator("#queue button").first().click();
  await page.waitForFunction(() => !document.querySelector("#queue button"));
  await page.locator("#running button").first().click();
  await page.waitForFunction(() => !document.querySelector("#running .job"));
  await page.setViewportSize({ width: 420, height: 800 });
  seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await browser.close();
  console.log(JSON.stringify(seen));
})().catch(e => { console.error(e); process.exit(1); });
