"""Follows all links of the hosts it is told, as fast as Scrapy can."""

import scrapy


class Site(scrapy.Spider):
    name = "site"
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, seed, hosts):
        super().__init__()
        self.start_urls = [seed]
        self.allowed_domains = hosts.split(",")

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)
